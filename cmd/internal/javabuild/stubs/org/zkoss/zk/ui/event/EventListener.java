package org.zkoss.zk.ui.event;

public interface EventListener<T extends Event> { void onEvent(T e) throws Exception; }
