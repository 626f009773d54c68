package org.adempiere.plugin.utils;

public class Incremental2PackActivator { public void start(org.osgi.framework.BundleContext c) throws Exception {} }
