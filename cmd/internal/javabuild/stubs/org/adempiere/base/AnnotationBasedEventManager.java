package org.adempiere.base;

public abstract class AnnotationBasedEventManager { public abstract String[] getPackages(); }
