package org.adempiere.webui.adwindow.validator;

public interface WindowValidator { void onWindowEvent(WindowValidatorEvent e, org.adempiere.util.Callback<Boolean> c); }
