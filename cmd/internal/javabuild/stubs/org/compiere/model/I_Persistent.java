package org.compiere.model;

public interface I_Persistent {}
