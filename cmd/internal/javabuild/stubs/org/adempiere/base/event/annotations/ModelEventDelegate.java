package org.adempiere.base.event.annotations;

public class ModelEventDelegate<T extends org.compiere.model.PO> { public ModelEventDelegate(T po, org.osgi.service.event.Event e) {} protected T getModel() { return null; } }
