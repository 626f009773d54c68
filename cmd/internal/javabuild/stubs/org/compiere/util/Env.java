package org.compiere.util;

public final class Env { public static final java.math.BigDecimal ZERO = java.math.BigDecimal.ZERO; public static final String AD_USER_ID = "#AD_User_ID"; public static java.util.Properties getCtx() { return null; } public static int getAD_Client_ID(java.util.Properties ctx) { return 0; } public static int getAD_User_ID(java.util.Properties ctx) { return 0; } }
