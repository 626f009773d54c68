package org.adempiere.base.annotation;

@java.lang.annotation.Repeatable(Callouts.class) public @interface Callout { String[] tableName(); String[] columnName(); }
