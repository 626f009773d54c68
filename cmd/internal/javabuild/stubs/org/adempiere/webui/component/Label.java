package org.adempiere.webui.component;

public class Label extends org.zkoss.zk.ui.AbstractComponent { public Label(String s) {} }
