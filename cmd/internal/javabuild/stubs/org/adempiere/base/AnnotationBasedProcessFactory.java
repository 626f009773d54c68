package org.adempiere.base;

public abstract class AnnotationBasedProcessFactory implements IProcessFactory { protected abstract String[] getPackages(); }
