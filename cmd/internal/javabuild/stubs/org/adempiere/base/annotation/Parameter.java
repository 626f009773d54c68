package org.adempiere.base.annotation;

@java.lang.annotation.Target(java.lang.annotation.ElementType.FIELD) public @interface Parameter { String name() default ""; }
