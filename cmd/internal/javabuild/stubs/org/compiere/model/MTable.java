package org.compiere.model;

public class MTable { public static int getTable_ID(String name) { return 0; } public static MTable get(java.util.Properties ctx, String name) { return null; } public PO getPO(int id, String trx) { return null; } }
