package org.compiere.model;

public class MProcessPara { public static void validateUnknownParameter(int id, org.compiere.process.ProcessInfoParameter p) {} }
