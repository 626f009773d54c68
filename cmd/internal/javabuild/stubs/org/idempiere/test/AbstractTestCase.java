package org.idempiere.test;

public abstract class AbstractTestCase { protected int getAD_Client_ID() { return 0; } protected String getTrxName() { return null; } }
