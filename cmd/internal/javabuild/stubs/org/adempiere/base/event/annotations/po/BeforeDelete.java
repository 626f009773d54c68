package org.adempiere.base.event.annotations.po;

@java.lang.annotation.Target(java.lang.annotation.ElementType.METHOD) public @interface BeforeDelete {  }
