package org.adempiere.webui.panel;

public abstract class ADForm extends org.zkoss.zk.ui.AbstractComponent implements org.zkoss.zk.ui.event.EventListener<org.zkoss.zk.ui.event.Event> { protected abstract void initForm(); public void onEvent(org.zkoss.zk.ui.event.Event e) throws Exception {} }
