package org.zkoss.zk.ui.event;

public class Events { public static final String ON_CLICK = "onClick"; }
