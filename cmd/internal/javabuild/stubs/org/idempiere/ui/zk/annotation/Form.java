package org.idempiere.ui.zk.annotation;

@java.lang.annotation.Target(java.lang.annotation.ElementType.TYPE) public @interface Form { String name() default "String"; }
