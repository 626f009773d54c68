package org.compiere.model;

public class POInfo { public static POInfo getPOInfo(java.util.Properties ctx, int AD_Table_ID, String trxName) { return null; } }
