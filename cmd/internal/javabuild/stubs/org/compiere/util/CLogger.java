package org.compiere.util;

public class CLogger extends java.util.logging.Logger { protected CLogger() { super(null, null); } public static CLogger getCLogger(Class<?> c) { return null; } }
