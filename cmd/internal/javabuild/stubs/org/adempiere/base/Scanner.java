package org.adempiere.base;

public interface Scanner { void scan(org.osgi.framework.BundleContext c, String... p); }
