package org.adempiere.webui.component;

public class Button extends org.zkoss.zk.ui.AbstractComponent { public Button(String s) {} }
