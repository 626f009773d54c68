package org.adempiere.base.event;

public abstract class AbstractEventHandler { protected abstract void initialize(); protected abstract void doHandleEvent(org.osgi.service.event.Event e); protected void registerTableEvent(String t, String n) {} protected org.compiere.model.PO getPO(org.osgi.service.event.Event e) { return null; } }
