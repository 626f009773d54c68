package org.adempiere.webui.factory;

public interface IFormFactory {}
