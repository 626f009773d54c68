package org.adempiere.base.annotation;

@java.lang.annotation.Target(java.lang.annotation.ElementType.TYPE) public @interface ModelEventTopic { Class<? extends org.compiere.model.PO> modelClass(); }
