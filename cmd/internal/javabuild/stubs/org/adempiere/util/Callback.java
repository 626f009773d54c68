package org.adempiere.util;

public interface Callback<T> { void onCallback(T r); }
