package org.adempiere.base;

public class AnnotationBasedModelFactory implements IModelFactory { protected String[] getPackages() { return null; } }
