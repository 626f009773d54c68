package org.adempiere.base.event.annotations.doc;

@java.lang.annotation.Target(java.lang.annotation.ElementType.METHOD) public @interface AfterClose {  }
