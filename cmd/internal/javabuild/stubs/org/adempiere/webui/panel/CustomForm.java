package org.adempiere.webui.panel;

public class CustomForm extends ADForm { protected void initForm() {} }
