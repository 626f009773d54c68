package org.adempiere.base;

public interface IModelFactory {}
