package org.junit.jupiter.api;

@java.lang.annotation.Target(java.lang.annotation.ElementType.METHOD) public @interface Test {  }
