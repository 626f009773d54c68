package org.compiere.model;

public class GridField { public String getColumnName() { return null; } }
