package com.example.demo.model;

import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.Timestamp;
import java.util.Properties;
import org.compiere.model.*;
import org.compiere.util.Env;
import org.compiere.util.KeyNamePair;

/**
 * Model of XX_Machine: Machine &lt;tool&gt;. Machines in our halls, see *&#47; and {&#64;link}
 * It is generated: changes go into a subclass.
 */
@org.adempiere.base.Model(table="XX_Machine")
public class X_XX_Machine extends PO implements I_XX_Machine, I_Persistent
{

    private static final long serialVersionUID = 20200101L;

    /** Standard constructor */
    public X_XX_Machine (Properties ctx, int XX_Machine_ID, String trxName)
    {
      super (ctx, XX_Machine_ID, trxName);
      /** if (XX_Machine_ID == 0)
        {
			setAmount (Env.ZERO);
// 0
			setBuiltOn (new Timestamp( System.currentTimeMillis() ));
			setIsRented (true);
// 'Y'
			setLine (0);
// @SQL=SELECT 1 / * one * /
			setM_Warehouse_ID (0);
			setName (null);
			setProcessed (false);
			setXX_Machine_ID (0);
			setXX_State (null);
// R
        } */

    }

    /** Standard constructor with virtual columns to load */
    public X_XX_Machine (Properties ctx, int XX_Machine_ID, String trxName, String ... virtualColumns)
    {
      super (ctx, XX_Machine_ID, trxName, virtualColumns);
      /** if (XX_Machine_ID == 0)
        {
			setAmount (Env.ZERO);
// 0
			setBuiltOn (new Timestamp( System.currentTimeMillis() ));
			setIsRented (true);
// 'Y'
			setLine (0);
// @SQL=SELECT 1 / * one * /
			setM_Warehouse_ID (0);
			setName (null);
			setProcessed (false);
			setXX_Machine_ID (0);
			setXX_State (null);
// R
        } */

    }

    /** Constructor by UUID */
    public X_XX_Machine (Properties ctx, String XX_Machine_UU, String trxName)
    {
      super (ctx, XX_Machine_UU, trxName);
      /** if (XX_Machine_ID == 0)
        {
			setAmount (Env.ZERO);
// 0
			setBuiltOn (new Timestamp( System.currentTimeMillis() ));
			setIsRented (true);
// 'Y'
			setLine (0);
// @SQL=SELECT 1 / * one * /
			setM_Warehouse_ID (0);
			setName (null);
			setProcessed (false);
			setXX_Machine_ID (0);
			setXX_State (null);
// R
        } */

    }

    /** Constructor by UUID with virtual columns to load */
    public X_XX_Machine (Properties ctx, String XX_Machine_UU, String trxName, String ... virtualColumns)
    {
      super (ctx, XX_Machine_UU, trxName, virtualColumns);
      /** if (XX_Machine_ID == 0)
        {
			setAmount (Env.ZERO);
// 0
			setBuiltOn (new Timestamp( System.currentTimeMillis() ));
			setIsRented (true);
// 'Y'
			setLine (0);
// @SQL=SELECT 1 / * one * /
			setM_Warehouse_ID (0);
			setName (null);
			setProcessed (false);
			setXX_Machine_ID (0);
			setXX_State (null);
// R
        } */

    }

    /** Load constructor */
    public X_XX_Machine (Properties ctx, ResultSet rs, String trxName)
    {
      super (ctx, rs, trxName);
    }

    /** AccessLevel
      * @return 3 - Client - Org
      */
    protected int get_AccessLevel()
    {
      return accessLevel.intValue();
    }

    /** Load meta data */
    protected POInfo initPO (Properties ctx)
    {
      POInfo poi = POInfo.getPOInfo (ctx, Table_ID, get_TrxName());
      return poi;
    }

    public String toString()
    {
      StringBuilder sb = new StringBuilder ("X_XX_Machine[")
        .append(get_ID()).append(",Name=").append(getName()).append("]");
      return sb.toString();
    }


	/** AD_Language AD_Reference_ID=106 */
	public static final int AD_LANGUAGE_AD_Reference_ID=106;
	/** Set Language.
		@param AD_Language Language
	*/
	public void setAD_Language (String AD_Language)
	{
		set_Value (COLUMNNAME_AD_Language, AD_Language);
	}

	/** Get Language.
		@return Language
	  */
	public String getAD_Language()
	{
		return (String)get_Value(COLUMNNAME_AD_Language);
	}

	/** Set Age.
		@param Age Age
	*/
	public void setAge (BigDecimal Age)
	{
		throw new IllegalArgumentException ("Age is virtual column");
	}

	/** Get Age.
		@return Age
	  */
	public BigDecimal getAge()
	{
		BigDecimal bd = (BigDecimal)get_Value(COLUMNNAME_Age);
		if (bd == null)
			 return Env.ZERO;
		return bd;
	}

	/** Set Amount &#8364;.
		@param Amount Amount &#8364;
	*/
	public void setAmount (BigDecimal Amount)
	{
		set_Value (COLUMNNAME_Amount, Amount);
	}

	/** Get Amount &#8364;.
		@return Amount &#8364;
	  */
	public BigDecimal getAmount()
	{
		BigDecimal bd = (BigDecimal)get_Value(COLUMNNAME_Amount);
		if (bd == null)
			 return Env.ZERO;
		return bd;
	}

	/** Set Built on.
		@param BuiltOn Built on
	*/
	public void setBuiltOn (Timestamp BuiltOn)
	{
		set_ValueNoCheck (COLUMNNAME_BuiltOn, BuiltOn);
	}

	/** Get Built on.
		@return Built on
	  */
	public Timestamp getBuiltOn()
	{
		return (Timestamp)get_Value(COLUMNNAME_BuiltOn);
	}

	/** Set Document Type.
		@param C_DocType_ID Document Type
	*/
	public void setC_DocType_ID (int C_DocType_ID)
	{
		if (C_DocType_ID < 0)
			set_Value (COLUMNNAME_C_DocType_ID, null);
		else
			set_Value (COLUMNNAME_C_DocType_ID, Integer.valueOf(C_DocType_ID));
	}

	/** Get Document Type.
		@return Document Type
	  */
	public int getC_DocType_ID()
	{
		Integer ii = (Integer)get_Value(COLUMNNAME_C_DocType_ID);
		if (ii == null)
			 return 0;
		return ii.intValue();
	}


	/** DocStatus AD_Reference_ID=131 */
	public static final int DOCSTATUS_AD_Reference_ID=131;
	/** Unknown = ?? */
	public static final String DOCSTATUS_Unknown = "??";
	/** Completed = CO */
	public static final String DOCSTATUS_Completed = "CO";
	/** Drafted = DR */
	public static final String DOCSTATUS_Drafted = "DR";
	/** In Progress = IP */
	public static final String DOCSTATUS_InProgress = "IP";
	/** Set Document Status.
		@param DocStatus Document Status
	*/
	public void setDocStatus (String DocStatus)
	{
		set_Value (COLUMNNAME_DocStatus, DocStatus);
	}

	/** Get Document Status.
		@return Document Status
	  */
	public String getDocStatus()
	{
		return (String)get_Value(COLUMNNAME_DocStatus);
	}

	/** Set Rented.
		@param IsRented Rented
	*/
	public void setIsRented (boolean IsRented)
	{
		set_Value (COLUMNNAME_IsRented, Boolean.valueOf(IsRented));
	}

	/** Get Rented.
		@return Rented
	  */
	public boolean isRented()
	{
		Object oo = get_Value(COLUMNNAME_IsRented);
		if (oo != null)
		{
			 if (oo instanceof Boolean)
				 return ((Boolean)oo).booleanValue();
			return "Y".equals(oo);
		}
		return false;
	}

	/** Set Line.
		@param Line Line
	*/
	public void setLine (int Line)
	{
		set_Value (COLUMNNAME_Line, Integer.valueOf(Line));
	}

	/** Get Line.
		@return Line
	  */
	public int getLine()
	{
		Integer ii = (Integer)get_Value(COLUMNNAME_Line);
		if (ii == null)
			 return 0;
		return ii.intValue();
	}

	/** Set Warehouse.
		@param M_Warehouse_ID Warehouse
	*/
	public void setM_Warehouse_ID (int M_Warehouse_ID)
	{
		if (M_Warehouse_ID < 1)
			set_Value (COLUMNNAME_M_Warehouse_ID, null);
		else
			set_Value (COLUMNNAME_M_Warehouse_ID, Integer.valueOf(M_Warehouse_ID));
	}

	/** Get Warehouse.
		@return Warehouse
	  */
	public int getM_Warehouse_ID()
	{
		Integer ii = (Integer)get_Value(COLUMNNAME_M_Warehouse_ID);
		if (ii == null)
			 return 0;
		return ii.intValue();
	}

	/** Set Name.
		@param Name What peoplecall it
	*/
	public void setName (String Name)
	{
		set_Value (COLUMNNAME_Name, Name);
	}

	/** Get Name.
		@return What peoplecall it
	  */
	public String getName()
	{
		return (String)get_Value(COLUMNNAME_Name);
	}

    /** Get record id and Name
        @return id and text
      */
    public KeyNamePair getKeyNamePair()
    {
        return new KeyNamePair(get_ID(), getName());
    }

	/** Set Picture.
		@param Picture Picture
	*/
	public void setPicture (byte[] Picture)
	{
		set_Value (COLUMNNAME_Picture, Picture);
	}

	/** Get Picture.
		@return Picture
	  */
	public byte[] getPicture()
	{
		return (byte[])get_Value(COLUMNNAME_Picture);
	}

	/** Set Processed.
		@param Processed Processed
	*/
	public void setProcessed (boolean Processed)
	{
		set_Value (COLUMNNAME_Processed, Boolean.valueOf(Processed));
	}

	/** Get Processed.
		@return Processed
	  */
	public boolean isProcessed()
	{
		Object oo = get_Value(COLUMNNAME_Processed);
		if (oo != null)
		{
			 if (oo instanceof Boolean)
				 return ((Boolean)oo).booleanValue();
			return "Y".equals(oo);
		}
		return false;
	}

	/** Set Record ID.
		@param Record_ID Record ID
	*/
	public void setRecord_ID (int Record_ID)
	{
		if (Record_ID < 0)
			set_Value (COLUMNNAME_Record_ID, null);
		else
			set_Value (COLUMNNAME_Record_ID, Integer.valueOf(Record_ID));
	}

	/** Get Record ID.
		@return Record ID
	  */
	public int getRecord_ID()
	{
		Integer ii = (Integer)get_Value(COLUMNNAME_Record_ID);
		if (ii == null)
			 return 0;
		return ii.intValue();
	}

	/** Set Secret.
		@param Secret Secret
	*/
	public void setSecret (String Secret)
	{
		set_ValueE (COLUMNNAME_Secret, Secret);
	}

	/** Get Secret.
		@return Secret
	  */
	public String getSecret()
	{
		return (String)get_ValueE(COLUMNNAME_Secret);
	}

	/** Set Secret fixed.
		@param SecretFixed Secret fixed
	*/
	public void setSecretFixed (String SecretFixed)
	{
		set_ValueNoCheckE (COLUMNNAME_SecretFixed, SecretFixed);
	}

	/** Get Secret fixed.
		@return Secret fixed
	  */
	public String getSecretFixed()
	{
		return (String)get_ValueE(COLUMNNAME_SecretFixed);
	}

	/** Set Machine.
		@param XX_Machine_ID Machine
	*/
	public void setXX_Machine_ID (int XX_Machine_ID)
	{
		if (XX_Machine_ID < 1)
			set_ValueNoCheck (COLUMNNAME_XX_Machine_ID, null);
		else
			set_ValueNoCheck (COLUMNNAME_XX_Machine_ID, Integer.valueOf(XX_Machine_ID));
	}

	/** Get Machine.
		@return Machine
	  */
	public int getXX_Machine_ID()
	{
		Integer ii = (Integer)get_Value(COLUMNNAME_XX_Machine_ID);
		if (ii == null)
			 return 0;
		return ii.intValue();
	}

	/** Set XX_Machine_UU.
		@param XX_Machine_UU XX_Machine_UU
	*/
	public void setXX_Machine_UU (String XX_Machine_UU)
	{
		set_Value (COLUMNNAME_XX_Machine_UU, XX_Machine_UU);
	}

	/** Get XX_Machine_UU.
		@return XX_Machine_UU
	  */
	public String getXX_Machine_UU()
	{
		return (String)get_Value(COLUMNNAME_XX_Machine_UU);
	}


	/** Close - No = &#34;&#92; */
	public static final String XX_STATE_Close_No = "\"\\";
	/** Tenant+Organization = + */
	public static final String XX_STATE_TenantPlusOrganization = "+";
	/** a = b ! c ~ d = = */
	public static final String XX_STATE_AEqBNotCLikeD = "=";
	/** more &gt; less = &gt; */
	public static final String XX_STATE_MoreGtLess = ">";
	/** Running = R */
	public static final String XX_STATE_Running = "R";
	/** running = r */
	public static final String XX_STATE_Running_2 = "r";
	/** &#26085;&#26412; = &#26085; */
	public static final String XX_STATE_Value = "\u65e5";
	/** Set State.
		@param XX_State State
	*/
	public void setXX_State (String XX_State)
	{
		set_Value (COLUMNNAME_XX_State, XX_State);
	}

	/** Get State.
		@return State
	  */
	public String getXX_State()
	{
		return (String)get_Value(COLUMNNAME_XX_State);
	}
}
