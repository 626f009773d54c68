package org.compiere.util;

public class ValueNamePair { public ValueNamePair(String value, String name) {} }
