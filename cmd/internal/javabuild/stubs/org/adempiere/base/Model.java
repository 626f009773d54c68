package org.adempiere.base;

@java.lang.annotation.Target(java.lang.annotation.ElementType.TYPE) public @interface Model { String table(); }
