package org.zkoss.zk.ui;

public class AbstractComponent implements Component { public boolean appendChild(Component c) { return true; } public void detach() {} public boolean addEventListener(String n, org.zkoss.zk.ui.event.EventListener<? extends org.zkoss.zk.ui.event.Event> l) { return true; } }
