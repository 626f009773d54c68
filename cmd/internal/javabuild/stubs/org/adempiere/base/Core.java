package org.adempiere.base;

public class Core { public static Scanner getMappedModelFactory() { return null; } public static Scanner getMappedProcessFactory() { return null; } public static Scanner getMappedColumnCalloutFactory() { return null; } }
