package org.adempiere.webui.panel;

public interface IFormController { ADForm getForm(); }
