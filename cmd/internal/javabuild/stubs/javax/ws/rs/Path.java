package javax.ws.rs;

@java.lang.annotation.Target(java.lang.annotation.ElementType.TYPE) public @interface Path { String value(); }
