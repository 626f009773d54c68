package org.adempiere.base;

public interface IColumnCallout { String start(java.util.Properties ctx, int WindowNo, org.compiere.model.GridTab t, org.compiere.model.GridField f, Object v, Object o); }
