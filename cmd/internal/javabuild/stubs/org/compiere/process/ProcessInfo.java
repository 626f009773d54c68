package org.compiere.process;

public class ProcessInfo { public int getAD_Process_ID() { return 0; } }
