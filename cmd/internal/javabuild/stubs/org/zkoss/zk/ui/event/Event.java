package org.zkoss.zk.ui.event;

public class Event {}
