package org.adempiere.base.annotation;

@java.lang.annotation.Target(java.lang.annotation.ElementType.TYPE) public @interface Process { String name() default "String"; }
