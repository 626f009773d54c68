package org.adempiere.webui.adwindow.validator;

public class WindowValidatorEvent { public String getName() { return null; } }
