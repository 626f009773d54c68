package org.compiere.process;

public class ProcessInfoParameter { public String getParameterName() { return null; } }
