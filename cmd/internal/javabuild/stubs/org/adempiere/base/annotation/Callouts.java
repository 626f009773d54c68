package org.adempiere.base.annotation;

public @interface Callouts { Callout[] value(); }
