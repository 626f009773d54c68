package org.adempiere.base;

public abstract class AnnotationBasedColumnCalloutFactory implements IColumnCalloutFactory { protected abstract String[] getPackages(); }
