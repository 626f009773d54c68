package org.adempiere.base;

public interface IProcessFactory {}
