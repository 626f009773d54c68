package org.adempiere.webui.factory;

public abstract class AnnotationBasedFormFactory implements IFormFactory { protected abstract String[] getPackages(); }
