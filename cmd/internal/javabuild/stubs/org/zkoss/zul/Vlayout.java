package org.zkoss.zul;

public class Vlayout extends org.zkoss.zk.ui.AbstractComponent {}
