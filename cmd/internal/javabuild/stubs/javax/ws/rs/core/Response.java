package javax.ws.rs.core;

public class Response { public static class ResponseBuilder { public Response build() { return null; } } public static ResponseBuilder ok(Object o) { return null; } }
