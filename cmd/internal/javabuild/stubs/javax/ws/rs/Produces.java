package javax.ws.rs;

@java.lang.annotation.Target(java.lang.annotation.ElementType.METHOD) public @interface Produces { String[] value(); }
