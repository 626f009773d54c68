package org.adempiere.base;

public interface IColumnCalloutFactory {}
