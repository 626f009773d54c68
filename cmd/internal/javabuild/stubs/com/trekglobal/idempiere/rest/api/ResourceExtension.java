package com.trekglobal.idempiere.rest.api;

public interface ResourceExtension { java.util.Set<Class<?>> getResourceClasses(); }
