package javax.ws.rs.core;

public class MediaType { public static final String APPLICATION_JSON = "application/json"; }
