package org.compiere.process;

public abstract class SvrProcess { protected abstract void prepare(); protected abstract String doIt() throws Exception; protected ProcessInfoParameter[] getParameter() { return null; } public ProcessInfo getProcessInfo() { return null; } public void addLog(String s) {} }
