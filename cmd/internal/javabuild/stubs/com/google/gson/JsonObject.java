package com.google.gson;

public final class JsonObject { public void addProperty(String k, Number v) {} public void addProperty(String k, String v) {} }
