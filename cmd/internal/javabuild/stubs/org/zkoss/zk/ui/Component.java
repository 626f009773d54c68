package org.zkoss.zk.ui;

public interface Component { boolean appendChild(Component c); void detach(); }
